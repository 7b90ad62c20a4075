import { routeAgentRequest } from 'agents'

export { LogAgent } from './agent.ts'

const worker: ExportedHandler<Cloudflare.Env> = {
  async fetch(request, env) {
    return (await routeAgentRequest(request, env)) ?? new Response('Not found', { status: 404 })
  },
}

export { worker as default }
