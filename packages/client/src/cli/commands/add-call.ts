import { type Command, Option } from 'commander';
import type { CommonOptions } from '../create-program.ts';
import { Failure } from '../failure.ts';
import { openGateway } from '../settings/open-gateway.ts';
import { printAnswer } from './print-answer.ts';
import { readData } from './read-data.ts';
import { toHeaders } from './to-headers.ts';

type Method = 'GET' | 'POST' | 'HEAD';

interface CallOptions extends CommonOptions {
  readonly request?: Method;
  readonly data?: string;
  readonly header?: Headers;
}

/** Adds `berth call`. */
export function addCall(program: Command, signal: AbortSignal): Command {
  return program
    .command('call')
    .description('Calls a hosted service and prints the body of its answer.')
    .argument('<service>', 'name of the service')
    .argument('[path]', 'path within the service, query included', '')
    .addOption(
      new Option('-X, --request <method>', 'default: GET, with -d POST').choices([
        ...['GET', 'POST', 'HEAD'],
      ]),
    )
    .option('-d, --data <data>', 'body: a text, @file, or - for the standard input')
    .option('-H, --header <header>', 'as "Name: value"; may stand more than once', toHeaders)
    .addHelpText(
      'after',
      '\nThe body goes as application/json, unless -H names another Content-Type.',
    )
    .action((service: string, path: string, options: CallOptions) =>
      call(service, path, options, signal),
    );
}

async function call(name: string, path: string, options: CallOptions, signal: AbortSignal) {
  const { data, header: headers = new Headers() } = options;
  const { request: method = data === undefined ? 'GET' : 'POST' } = options;
  if (data !== undefined && method !== 'POST') {
    throw new Failure(`A ${method} has no body: leave -d out, or write -X POST.`, 2);
  }
  const gateway = await openGateway(options);
  const body = data === undefined ? undefined : await readData(data);
  if (body !== undefined && !headers.has('Content-Type')) {
    headers.set('Content-Type', 'application/json');
  }
  const response = await gateway.service(name).request(path, { method, headers, body, signal });
  await printAnswer(response, options, signal);
}
