export { Agent, buildConnector, EnvHttpProxyAgent, errors, Pool, request } from 'undici';
