"""Write Waypost into the configuration of an agent, and restore the files exactly."""
