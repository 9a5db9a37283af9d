/** The compiler API of TypeScript 6, the last one with an API for JavaScript; for tests that read types. */
export { default } from 'typescript6';
