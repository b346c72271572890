"""Facts out of changes: what a colleague would note down about a commit, each before anybody has approved it."""
