"""Validation: conversion of arguments, text and JSON documents to values of declared types, with one-line errors."""
