"""Cards in the deal: hands, the pack and what is uncertain of them."""
