/** Express 4 under a name of its own; what the tests use of it is typed as in Express 5. */
declare module 'express4' {
  import express from 'express';
  export default express;
}
