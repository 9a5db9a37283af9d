import { toGatewayError } from '../../internal/gateway-answers.ts';
import type { CommonOptions } from '../create-program.ts';
import { writeOut } from '../write-out.ts';

/**
 * Prints an answer: its body as it comes, or with `--json` its status, headers and body as one document.
 *
 * @throws GatewayError where the status is one of an error, after the body of a service's own error
 */
export async function printAnswer(
  response: Response,
  { json }: CommonOptions,
  signal: AbortSignal,
): Promise<void> {
  if (json) return printJson(response);
  if (response.ok) {
    if (response.body) await writeOut(response.body, signal);
    return;
  }
  const text = await response.text();
  const error = toGatewayError({ error: parse(text), response });
  if (error.source === 'service' && text !== '') process.stdout.write(text);
  throw error;
}

async function printJson(response: Response): Promise<void> {
  const text = await response.text();
  const { status } = response;
  const answer = { status, headers: Object.fromEntries(response.headers), body: parse(text) };
  process.stdout.write(`${JSON.stringify(answer)}\n`);
  if (!response.ok) process.exitCode = 1;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
