"""The tablectl link: our framed device protocol over a byte stream."""
