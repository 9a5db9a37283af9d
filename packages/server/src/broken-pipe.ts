/** Lets the reader of a stream close its pipe early, as `| head` does. */
export function allowBrokenPipe(stream: NodeJS.WriteStream): void {
  if (!stream.listeners('error').includes(ignoreBrokenPipe)) stream.on('error', ignoreBrokenPipe);
}

function ignoreBrokenPipe(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') throw error;
}
