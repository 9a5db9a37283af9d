import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { listen } from '@berth/runtimes/listen';
import { type Running, runCommand, startCommand, tryCommand } from '@berth/runtimes/run-command';
import { ROOT } from '../list-published.ts';
import { readImage } from '../read-image.ts';
import type { Project } from './create-project.ts';

/** The key pair of the servers. */
export const PAIR = { id: 'rehearsal', secret: 'the secret of the key pair of a rehearsal' };

/** What a mock prints when it is ready, with its URL. */
export const MOCK_READY = /^Upload target +(\S+)\/\n[\s\S]*^ready$/m;

/** npm settings for a registry without our packages: looking for them there fails. */
const UNPUBLISHED = '@berth:registry=http://127.0.0.1:1/\nfetch-retries=0\n';

/**
 * Runs the image of the mock: starts it, checks its health, calls it, stops it, and installs the client next to it.
 *
 * @param client the command from `npm run pack` that installs the client
 */
export async function useMockImage(mock: Container, client: string): Promise<void> {
  const running = await mock.start(MOCK_READY, ['--port', '0']);
  try {
    await mock.assertHealthy(running.found);
    const headers = { authorization: 'Bearer any' };
    const { status } = await fetch(`${running.found}/v1/cloudrun/hello`, { headers });
    if (status !== 200) throw new Error(`The mock in the image returns ${status}.`);
  } finally {
    await mock.end(running, [0]);
  }
  const script = [client, 'npx berth --version', 'npx berth-mock --version'].join(' && ');
  await runCommand({ folder: mock.at('/app'), env: mock.env }, ['sh', '-c', script]);
}

/** Runs both images: the suite checks the server, and is then interrupted. */
export async function useServerImages(served: Container, judge: Container): Promise<void> {
  if (!(await judge.run()).includes('--gateway-url')) throw new Error('The suite prints no help.');
  writeSettings(served.at('/etc/berth'), served.at('/var/lib/berth/files'));
  const running = await served.start(/("url":"http:[^\n]*"msg":"listening")/);
  try {
    const { url, adminUrl } = JSON.parse(`{${running.found}}`);
    await served.assertHealthy(adminUrl);
    mkdirSync(judge.at('/report'));
    await judge.run(['--only', 'ST-ENVELOPE-SUCCESS'], toSettings(url));
    for (const file of ['junit.xml', 'index.html']) {
      if (!existsSync(judge.at(`/report/${file}`))) throw new Error(`The suite writes no ${file}.`);
    }
  } finally {
    await served.end(running, [0]);
  }
  await interrupt(judge);
}

/** Interrupts the suite as soon as it has called a deployment that does not respond. */
async function interrupt(judge: Container): Promise<void> {
  const { server, url, close } = await listen(() => {});
  try {
    const running = await judge.start(once(server, 'request'), [], toSettings(url));
    await judge.end(running, [3, 4]);
  } finally {
    await close();
  }
}

/** The content of `berth.env`. */
function toSettings(url: string) {
  return {
    BERTH_GATEWAY_URL: url,
    BERTH_STORAGE_URL: url,
    BERTH_TC3_SECRET_ID: PAIR.id,
    BERTH_TC3_SECRET_KEY: PAIR.secret,
  };
}

/** A server with one environment, as the header of its Dockerfile requires, on free ports. */
function writeSettings(folder: string, root: string): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'link.key'), 'a key that signs the links and grants of a rehearsal');
  writeFileSync(
    join(folder, 'berth.yaml'), // JSON is YAML
    JSON.stringify({
      listen: { port: 0 },
      admin: { port: 0 },
      store: { driver: 'file', root },
      keys: [{ file: './link.key' }],
      environments: { dev: { credentials: [PAIR] } },
    }),
  );
}

/** A folder that takes the place of an image's file system, in which the same commands are run. */
interface Container {
  /** Of the user who has built it. */
  readonly env: Project['env'];
  /** Converts a path in the image to a path on this machine. */
  at(path: string): string;
  /** Runs the image to its end, with the arguments in its header plus these, or else with those in `CMD`. */
  run(args?: readonly string[], env?: Readonly<Record<string, string>>): Promise<string>;
  /** Starts the image in the same way. */
  start(
    ready: RegExp | Promise<unknown>,
    args?: readonly string[],
    env?: Readonly<Record<string, string>>,
  ): Promise<Running>;
  /** Runs the health check: it must pass for a server at this URL, and fail if nothing is listening. */
  assertHealthy(url: string): Promise<void>;
  /** Stops a process with the image's signal, and checks that it has written only to its volumes. */
  end(running: Running, codes: readonly number[]): Promise<void>;
}

/**
 * Runs the steps of a Dockerfile without Docker.
 *
 * @param project with the image's version of Node
 * @param folder of the package
 * @param install the command from `npm run pack` that installs the package, to use tarballs that the registry does not
 *   have. Default: from the registry
 */
export async function buildImage(
  { folder: root, env: own }: Project,
  folder: string,
  install?: string,
): Promise<Container> {
  const image = readImage(join(ROOT, folder));
  const at = (path: string) => join(root, path);
  // Packages that the same user has already fetched are not fetched again.
  const env = { ...own, npm_config_prefer_offline: 'true' };
  const toHere = (text: string) =>
    text.replaceAll(/(?<=^|[\s=,])\/(?=\w)/g, `${root}/`).replaceAll('0.0.0.0', '127.0.0.1');
  for (const stage of image.stages) {
    const assignments: string[] = [];
    let place = { folder: root, env };
    for (const { keyword, text } of stage) {
      if (keyword === 'ARG') assignments.push(text);
      if (keyword === 'WORKDIR') place = { folder: toHere(text), env };
      mkdirSync(place.folder, { recursive: true });
      if (keyword !== 'RUN') continue;
      if (install !== undefined) {
        assignments.push(`PACKAGES='${install.replace('npm install ', '')}'`);
        writeFileSync(join(place.folder, '.npmrc'), UNPUBLISHED);
      }
      // The image's user does not exist on this machine.
      const script = [...assignments, 'chown() { :; }', toHere(text)].join('\n');
      await runCommand(place, ['sh', '-c', script]);
    }
  }

  const variables = image.get('ENV')?.split(' ') ?? [];
  const place = (more: Readonly<Record<string, string>> = {}) => ({
    folder: at(image.get('WORKDIR') ?? '/'),
    env: {
      ...env,
      ...Object.fromEntries(variables.map((variable) => variable.split('='))),
      ...more,
      // A container's file system may be read-only, without a /tmp.
      TMPDIR: '/dev/null',
    },
  });
  const runs = image.commands.filter(({ verb }) => verb === 'run');
  const volumes = runs
    .flatMap(({ options }) => options.filter(([name]) => name === '-v'))
    .map(([, value]) => at(value.split(':')[1] ?? ''));
  const toWords = (args?: readonly string[]) => {
    const given = args === undefined ? image.words('CMD') : [...(runs[0]?.args ?? []), ...args];
    return [...image.words('ENTRYPOINT'), ...given].map(toHere);
  };
  let before = new Map<string, number>();
  return {
    env: own,
    at,
    run: (args, more) => runCommand(place(more), toWords(args)),
    start(ready, args, more) {
      before = listFiles(root);
      return startCommand(place(more), toWords(args), ready);
    },
    async assertHealthy(url) {
      const health = image.words('HEALTHCHECK').map(toHere);
      for (const [address, expected] of [
        [url, 0],
        ['http://127.0.0.1:1', 1],
      ] as const) {
        const words = health.map((word) => word.replace(/http:\/\/127\.0\.0\.1:\d+/, address));
        const { code } = await tryCommand(place(), words);
        if (code !== expected) throw new Error(`${words.join(' ')}\nexited with code ${code}.`);
      }
    },
    async end(running, codes) {
      const signal = image.get('STOPSIGNAL') as NodeJS.Signals;
      const code = await running.end(signal);
      const stray = [...listFiles(root)]
        .filter(([path, time]) => before.get(path) !== time)
        .map(([path]) => path)
        .filter((path) => !volumes.some((volume) => path.startsWith(volume)));
      if (stray.length > 0) {
        throw new Error(`${folder} writes outside of its volumes: ${stray.slice(0, 5)}`);
      }
      if (code !== null && codes.includes(code)) return;
      throw new Error(`On ${signal} the image of ${folder} exits with ${code}.`);
    },
  };
}

/** Lists all files in a folder, with the time of their last change. */
function listFiles(root: string): Map<string, number> {
  const entries = readdirSync(root, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  const paths = files.map(({ parentPath, name }) => join(parentPath, name));
  return new Map(paths.map((path) => [path, statSync(path).mtimeMs]));
}
