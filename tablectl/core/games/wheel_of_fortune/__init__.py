"""Wheel of Fortune (Roda da Sorte), regulation 42/2003."""
