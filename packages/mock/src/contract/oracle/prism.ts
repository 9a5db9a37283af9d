/**
 * What the mock uses of Prism. The build puts Prism itself in place of this module: to install it would bring
 * `@scarf/scarf` along, which reports installations.
 */
export { createInstance, getHttpOperationsFromSpec } from '@stoplight/prism-http';
