export { type Block, findNote, isShell, toFileName, usesCurl } from './page/block.ts';
export { ROOT } from './page/find-pages.ts';
export { readPage } from './page/read-page.ts';
export { Desk } from './run/desk.ts';
export { makeBench, makeCommands } from './run/make-bench.ts';
export { listCommandLines } from './shell/command-lines.ts';
export { READY, staysUp } from './shell/stays-up.ts';
export { toLines } from './shell/to-lines.ts';
export { toCommands } from './shell/to-words.ts';
