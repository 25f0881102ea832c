"""Description of the API in OpenAPI."""
