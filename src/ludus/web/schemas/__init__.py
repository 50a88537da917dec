"""Pydantic models of requests and responses, from which the OpenAPI description is made."""
