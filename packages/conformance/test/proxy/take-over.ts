import type { TakeOver } from './messages.ts';

/** What a server may do with a connection instead of responding. */
export const hang: TakeOver = () => {};

export const drop: TakeOver = (socket) => void socket.destroy();

export const send =
  (text: string): TakeOver =>
  (socket) =>
    void socket.end(text);

export const OK = 'HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n';

export const sendEndlessly =
  (head: string, part: string): TakeOver =>
  (socket) => {
    const write = () => {
      while (part !== '' && !socket.destroyed && socket.write(part));
    };
    socket.on('drain', write).write(head);
    write();
  };

export const drip: TakeOver = (socket) => {
  socket.write(`${OK}\r\n`);
  const timer = setInterval(() => socket.write('a'), 50);
  socket.once('close', () => clearInterval(timer));
};
