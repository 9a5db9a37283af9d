import type { DocumentRoutes } from '@berth/server-stubs/document';
import { openDocument, serveDocument } from './document.ts';
import type { OnProblem } from './live.ts';
import { RequestLog } from './log.ts';
import type { ResolvedOptions } from './options.ts';
import { createServices } from './services/create-services.ts';
import { createSessions } from './session.ts';
import { type Auth, createPresentAuth } from './surfaces/auth.ts';
import { findSurface, serveAdditions } from './surfaces/contract.ts';
import { LOGGING, toDocumentOptions } from './surfaces/responses.ts';
import { createContractTarget, createDocumentTarget } from './target.ts';
import { FieldError } from './user-input.ts';

/** What all calls of a mock share. */
export type Context = Awaited<ReturnType<typeof createContext>>;

export async function createContext(options: ResolvedOptions, onProblem: OnProblem) {
  const auth = await createAuth(options);
  const log = new RequestLog(options);
  const sessions = createSessions(options, (session) => log.clear(session));
  const serve = (loaded: DocumentRoutes) => {
    const surface = findSurface(loaded.document);
    return surface === undefined
      ? serveDocument(loaded, options, toDocumentOptions(options, 'gateway'))
      : serveAdditions(surface, loaded, options, auth);
  };
  const document = options.document
    ? await openDocument(options.document, serve, onProblem)
    : undefined;
  const isAlone = document !== undefined && !document.current.isOfContract;
  if (isAlone) assertAlone(options);
  const openService = (source: string | object) =>
    openDocument(source, (loaded) => serveDocument(loaded, options, LOGGING), onProblem);
  const services = await createServices(options, openService, onProblem);
  const target = isAlone
    ? createDocumentTarget(document)
    : createContractTarget(options, auth, services, document);
  return { options, log, sessions, services, target };
}

/** Verification is loaded only if needed. */
async function createAuth({ credentials, env, wireProfile }: ResolvedOptions): Promise<Auth> {
  if (credentials === 'present') return createPresentAuth(wireProfile);
  const { createStrictAuth } = await import('./surfaces/strict-auth.ts');
  return createStrictAuth(env, wireProfile);
}

function assertAlone({ document, services, credentials }: ResolvedOptions): void {
  if (services === undefined && credentials === 'present') return;
  const option = services === undefined ? 'credentials' : 'services';
  const rest = `has no effect together with ${document}, which the mock serves alone and without credentials: remove one of them.`;
  throw new FieldError(option, rest);
}
