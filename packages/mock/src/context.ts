import type { DocumentRoutes } from '@berth/server-stubs/document';
import { originOf, toUrlHost } from './host.ts';
import type { OnProblem } from './live.ts';
import { type CallRecord, RequestLog, toJsonLine, toLine } from './log.ts';
import type { ResolvedOptions } from './options.ts';
import { createServices } from './services/create-services.ts';
import { createSessions } from './session.ts';
import { type Auth, createPresentAuth } from './surfaces/auth.ts';
import { createContract, DOCUMENTS } from './surfaces/contract.ts';
import { openDocument, serveStandalone } from './surfaces/document.ts';
import { serveAdditions, serveDocument } from './surfaces/drafts.ts';
import { LOGGING } from './surfaces/responses.ts';
import { FieldError } from './user-input.ts';

export type Context = Awaited<ReturnType<typeof createContext>>;

export async function createContext(options: ResolvedOptions, onProblem: OnProblem) {
  const { host, port, wireProfile, document: source } = options;
  const auth = await createAuth(options);
  const serve = (loaded: DocumentRoutes) => serveDocument(loaded, options, auth);
  const document = source === undefined ? undefined : await openDocument(source, serve, onProblem);
  const isStandalone = document !== undefined && document.current.surface === undefined;
  if (isStandalone) assertStandalone(options);
  const log = new RequestLog();
  const storage = {
    // A caller without a valid Host gets an error, so that the port of its links does not matter.
    publicUrl: (request: Parameters<typeof originOf>[0]) =>
      originOf(request) ?? `http://${toUrlHost(host)}:${port}`,
    wireProfile,
    onError: (error: unknown) => process.emitWarning(error as Error),
  };
  return {
    options,
    auth,
    /** The document of the options: a draft of the contract, or what is served alone. */
    document,
    isStandalone,
    contract: createContract(isStandalone ? undefined : document, (surface) =>
      serveAdditions(surface, DOCUMENTS[surface], options, auth),
    ),
    log,
    /** Called with each call when its response is complete. */
    onCall: createPrinter(options),
    sessions: createSessions(options, storage, (session) => log.clear(session)),
    services: await createServices(options.services, {
      onProblem,
      openDocument: (source) =>
        openDocument(source, (loaded) => serveStandalone(loaded, options, LOGGING), onProblem),
    }),
  };
}

/** Verification is loaded only if needed. */
async function createAuth({ credentials, env, wireProfile }: ResolvedOptions): Promise<Auth> {
  if (credentials === 'present') return createPresentAuth(wireProfile);
  const { createStrictAuth } = await import('./surfaces/strict-auth.ts');
  return createStrictAuth(env, wireProfile);
}

function assertStandalone({ document, services, credentials }: ResolvedOptions): void {
  if (services === undefined && credentials === 'present') return;
  const option = services === undefined ? 'credentials' : 'services';
  const rest = `has no effect together with ${document}, which the mock serves alone and without credentials: remove one of them.`;
  throw new FieldError(option, rest);
}

/** Returns a function that prints each call once, when its response is complete. */
function createPrinter({ log, wireProfile }: ResolvedOptions): (record: CallRecord) => void {
  if (log === 'quiet') return () => {};
  const toText = log === 'json' ? (record: CallRecord) => toJsonLine(record, wireProfile) : toLine;
  let lines = '';
  return (record) => {
    // Each write blocks and takes longer than a call, so the lines of one turn of the event loop are joined.
    if (lines === '') {
      setImmediate(() => {
        process.stdout.write(lines);
        lines = '';
      });
    }
    lines += `${toText(record)}\n`;
  };
}
