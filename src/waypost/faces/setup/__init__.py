"""Set-up: put Waypost into the configuration of an agent, and take it out again to the byte."""
