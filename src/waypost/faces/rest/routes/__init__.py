"""The routes, by what they are about. A body over ten lines hides a flow."""
