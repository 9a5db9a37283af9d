import acme from '@berth/spec/wire-profiles/acme.json' with { type: 'json' };
import { checkDeployment } from './support/check-deployment.ts';

checkDeployment('a deployment with its own names', { processes: 1, wireProfile: acme });
