import type { Model } from '../operations/model.ts';
import type { ModuleNames } from './module-names.ts';
import { usedSchemes } from './write-handlers.ts';

/** `index.gen.ts`: all that is imported from outside. */
export function writeIndex(model: Model, names: ModuleNames): string {
  const isSecured = usedSchemes(model).length > 0;
  const exported = isSecured ? 'Handlers, Principals, SecurityHandlers' : 'Handlers';
  const options = isSecured
    ? `/** Options of the router; \`security\` has a handler for each scheme. */
export type Options<P extends Principals = Principals> = Omit<RouterOptions, 'security'> & {
  readonly security: SecurityHandlers<P>;
};`
    : `export type Options = Omit<RouterOptions, 'security'>;`;
  const signature = isSecured
    ? `<P extends Principals = Principals>(\n  handlers: Handlers<P>,\n  options: Options<P>,\n)`
    : `(handlers: Handlers, options: Options = {})`;
  return `import {
  createRouter as create,
  type Handlers as AnyHandlers,
  type Router,
  type RouterOptions,
} from '${names.runtime}';
import type { ${exported} } from '${names.sibling('handlers')}';
import { routes } from '${names.sibling('routes')}';

export type { ${exported} } from '${names.sibling('handlers')}';
export { routes } from '${names.sibling('routes')}';
export type * from '${names.sibling('types')}';

${options}

/** Express middleware and \`node:http\` listener for the operations of the document. */
export function createRouter${signature}: Router {
  return create(routes, handlers as unknown as AnyHandlers, options as RouterOptions);
}`;
}
