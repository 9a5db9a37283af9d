@rem npm runs scripts by cmd.exe on Windows, which lacks the `exec` of POSIX shells ("start" in package.json).
@%*
