import acme from '@berth/spec/wire-profiles/acme.json' with { type: 'json' };
import { checkDeployment } from './support/check-deployment.ts';

checkDeployment('three processes on a disk, behind a round robin, with their own names', {
  wireProfile: acme,
});
