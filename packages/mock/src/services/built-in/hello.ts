import { listExamples } from '../../contract/examples.ts';
import { compileService } from '../compile-service.ts';
import type { CompiledService } from '../compiled-service.ts';

const TEXT = 'text/plain';

/** A service whose HTTP calls are answered with the contract's examples. */
export function createExample(name: string): CompiledService {
  return { ...compileService(name, {}, ''), isExample: true };
}

/**
 * The built-in service `hello`: the contract's examples, by `Accept`; a WebSocket gets the text one, and
 * each message back.
 */
export function createHello(): CompiledService {
  const text = listExamples().get('cloudrun-get')?.get(TEXT);
  const greet = { webSocket: [{ send: text }, { echo: true as const }] };
  return { ...compileService('hello', { routes: { 'WS /*': greet } }, ''), isExample: true };
}
