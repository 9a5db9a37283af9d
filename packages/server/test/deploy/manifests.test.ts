import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { isMap, parseAllDocuments } from 'yaml';
import { loadConfig } from '../../src/config/config.ts';
import { makeFolder } from '../server/support/start-server.ts';

const DEPLOY = join(import.meta.dirname, '../../deploy');
const KUBERNETES = await readFile(join(DEPLOY, 'kubernetes.yaml'), 'utf8');

/** Replaces the values of secrets, as envFrom would. */
const SECRETS = { LINK_KEY: 'k'.repeat(44), CI_SECRET: 'c'.repeat(64), REDIS_PASSWORD: 'a/b@c' };

interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
}

const parse = (text: string) =>
  parseAllDocuments(text).map((document) => {
    if (!isMap(document.contents)) throw new Error('not a manifest');
    return document.toJS() as Manifest;
  });

/** Validates a manifest against the schema of Kubernetes; returns the paths of the errors. */
async function findProblems(manifest: Manifest): Promise<string[]> {
  const [version = '', group = 'core'] = manifest.apiVersion.split('/').reverse();
  const place = [group.split('.')[0] ?? '', version].map((word) => capitalize(word)).join('');
  const { validate } = await import(`kubernetes-models/_schemas/IoK8sApi${place}${manifest.kind}`);
  validate(manifest);
  const errors: { instancePath: string }[] = validate.errors ?? [];
  return errors.map(({ instancePath }) => instancePath);
}

const capitalize = (word: string) => word.charAt(0).toUpperCase() + word.slice(1);

test('the manifests match the schemas of Kubernetes', async () => {
  const manifests = parse(KUBERNETES);
  expect(manifests.map(({ kind }) => kind)).toEqual([
    'ConfigMap',
    'Deployment',
    'Service',
    'HorizontalPodAutoscaler',
    'PodDisruptionBudget',
    'NetworkPolicy',
  ]);
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
