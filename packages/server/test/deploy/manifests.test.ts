import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { loadConfig } from '../../src/config/config.ts';
import { makeFolder } from '../server/support/start-server.ts';

const DEPLOY = join(import.meta.dirname, '../../deploy');
const KUBERNETES = await readFile(join(DEPLOY, 'kubernetes.yaml'), 'utf8');

/** Replaces the values of secrets, as envFrom would. */
const SECRETS = { LINK_KEY: 'k'.repeat(44), CI_SECRET: 'c'.repeat(64), REDIS_PASSWORD: 'a/b@c' };

type Manifest = Record<'apiVersion' | 'kind', string>;

/** Validates a manifest against the schema of Kubernetes; returns the paths of the errors. */
async function findProblems(manifest: Manifest): Promise<string[]> {
  const [version = '', group = 'core'] = manifest.apiVersion.split('/').reverse();
  const words = ['Io', 'K8s', 'Api', group.split('.')[0] ?? '', version, manifest.kind];
  const name = words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');
  const { validate } = await import(`kubernetes-models/_schemas/${name}`);
  validate(manifest);
  return (validate.errors ?? []).map(({ instancePath }: { instancePath: string }) => instancePath);
}

test('the manifests match the schemas of Kubernetes', async () => {
  const manifests: Manifest[] = parseAllDocuments(KUBERNETES).map((document) => document.toJS());
  expect(manifests).toHaveLength(6);
  expect((await Promise.all(manifests.map(findProblems))).flat()).toEqual([]);
});

test('the configuration in the manifests is valid, and fits the ports and the grace period', async () => {
  const [configMap, deployment] = parseAllDocuments(KUBERNETES);
  const text = String(configMap?.getIn(['data', 'berth.yaml']));
  const folder = await makeFolder({ 'berth.yaml': text });
  const { listen, admin } = await loadConfig(join(folder, 'berth.yaml'), SECRETS);
  const pod = (...path: (string | number)[]) =>
    deployment?.getIn(['spec', 'template', 'spec', ...path]);
  expect(pod('containers', 0, 'ports', 0, 'containerPort')).toBe(listen.port);
  expect(admin).toMatchObject({ port: pod('containers', 0, 'ports', 1, 'containerPort') });
  const { shutdownDelaySeconds: delay, shutdownSeconds } = listen;
  const probe = (name: string) => Number(pod('containers', 0, 'readinessProbe', name));
  expect(delay).toBeGreaterThan(probe('periodSeconds') * probe('failureThreshold'));
  expect(pod('terminationGracePeriodSeconds')).toBeGreaterThan(delay + shutdownSeconds);
});
