/**
 * The parts of Prism that the mock uses. The build bundles Prism into this module, because installing it
 * would pull in `@scarf/scarf`, which reports installations.
 */
export { createInstance, getHttpOperationsFromSpec } from '../../prism/prism-http.ts';
