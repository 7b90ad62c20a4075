/** Offloading for agents of deepagents. */
export { deepAgentMiddleware } from './deep-agent.ts'
