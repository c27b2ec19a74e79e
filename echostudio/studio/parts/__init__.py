"""Own widgets that several pages draw with: badges, meters, the picture viewer."""
