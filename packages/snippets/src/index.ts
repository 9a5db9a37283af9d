export {
  type Block,
  findNote,
  isShell,
  ROOT,
  readPage,
  toFileName,
  usesCurl,
} from './page.ts';
export { Desk } from './run/desk.ts';
export { makeBench, makeCommands } from './run/make-bench.ts';
export { listCommandLines } from './shell/command-lines.ts';
export { toCommands, toLines } from './shell/parse.ts';
export { READY, staysUp } from './shell/what-runs.ts';
