"""The store on PostgreSQL with pgvector: one schema per space, a shared one for who may do what."""
