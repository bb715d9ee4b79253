"""Validation: arguments, text and JSON documents become values of declared types, or one line says what is wrong."""
