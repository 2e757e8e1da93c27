"""Who asks? JSON-RPC over a Unix socket: lines and typed requests, the server, the client, the methods."""
