"""What commands share: options, languages, errors and output."""
