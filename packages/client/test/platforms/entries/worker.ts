import type { Deployment } from '../platform-case.ts';
import { runSuite } from '../run-suite.ts';
import { SUITE } from '../suite.ts';
import { SANDBOX_TOOLS } from './sandbox-tools.ts';

/** Runs the suite in a Worker: receives a deployment as JSON, and returns each result as a line of JSON. */
async function run(request: Request, results: WritableStream<Uint8Array>): Promise<void> {
  const writer = results.getWriter();
  const encoder = new TextEncoder();
  const deployment: Deployment = await request.json();
  await runSuite(SUITE, 'workerd', deployment, SANDBOX_TOOLS, (result) =>
    writer.write(encoder.encode(`${JSON.stringify(result)}\n`)),
  );
  await writer.close();
}

export default {
  fetch(request: Request): Response {
    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
    run(request, writable).catch((error) => writable.abort(error));
    return new Response(readable);
  },
};
