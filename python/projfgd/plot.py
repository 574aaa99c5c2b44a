"""Pictures of results with Matplotlib, which is imported only when one is asked for."""
