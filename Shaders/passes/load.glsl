// passes/load
