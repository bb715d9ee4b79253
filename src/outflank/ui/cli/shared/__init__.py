"""Options, input, output and interruption that subcommands share."""
