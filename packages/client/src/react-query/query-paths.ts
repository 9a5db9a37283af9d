import type { BerthError } from '../errors.ts';
import type { paths as GatewayPaths } from '../generated/gateway.v1.gen.ts';
import type { paths as StoragePaths } from '../generated/storage.v2.gen.ts';
import type { StoragePath } from '../internal/storage-context.ts';

/** Every failure is thrown as an error of this package, whatever its status. */
interface Failures {
  default: { content: { 'application/json': BerthError } };
}

/** The paths of the gateway as queries see them: a failure is an error of this package. */
export type GatewayQueryPaths = {
  [Path in keyof GatewayPaths]: {
    [Method in 'get' | 'post']: Omit<GatewayPaths[Path][Method], 'responses'> & {
      responses: Pick<GatewayPaths[Path][Method]['responses'], 200> & Failures;
    };
  };
};

/** The `data` in an envelope. */
type DataOf<Envelope> = Envelope extends { body: { data?: infer Data } }
  ? NonNullable<Data>
  : never;

/**
 * The paths of the storage API as queries see them: the envelope is open, the client fills in the
 * environment, and a failure is an error of this package.
 */
export type StorageQueryPaths = {
  [Path in StoragePath]: {
    post: Omit<StoragePaths[Path]['post'], 'responses' | 'parameters'> & {
      parameters: { path?: { envId?: string } };
      responses: {
        200: {
          content: {
            'application/json': DataOf<
              StoragePaths[Path]['post']['responses'][200]['content']['application/json']
            >;
          };
        };
      } & Failures;
    };
  };
};
