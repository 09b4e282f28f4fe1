export { Agent, buildConnector, EnvHttpProxyAgent, errors, request } from 'undici';
