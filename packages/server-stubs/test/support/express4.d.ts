/** Express 4 under a different name. The parts that tests use have the same types as in Express 5. */
declare module 'express4' {
  import express from 'express';
  export default express;
}
