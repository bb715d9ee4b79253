"""Options, input, output and interruption that several subcommands share."""
