import type { HistoryServices } from '../history/history-step.ts'
import { contextOffloadRoute } from '../reme/context-offload.ts'
import { grepRoute } from '../reme/grep.ts'
import { readFileRoute } from '../reme/read-file.ts'
import { remeFailureSchema } from '../reme/schemas.ts'
import type { ServiceTelemetry } from '../telemetry/service-telemetry.ts'
import { contentRoute } from '../v1/content.ts'
import { deleteRoute, listRoute, statRoute } from '../v1/entries.ts'
import { historyRoutes } from '../v1/history.ts'
import { offloadContentRoute, offloadRoute } from '../v1/offload.ts'
import { retrieveRoute } from '../v1/retrieve.ts'
import { failureSchema } from '../v1/schemas.ts'
import { searchRoute } from '../v1/search.ts'
import { statsRoute } from '../v1/stats.ts'
import { openApiDocument } from './openapi-document.ts'
import type { Route } from './route.ts'
import { serviceRoutes } from './service-routes.ts'

const INFO = {
  title: 'Spillway',
  version: '1',
  description:
    'Keeps large tool results and long histories out of the context of agents. Everything stays in the scope of the ' +
    'caller, which its token says; without tokens the service serves its own machine alone.',
}

/** What routes are made with. */
export interface RouteParts extends HistoryServices {
  readonly telemetry: ServiceTelemetry
}

/** All endpoints of the service, in the order of its document. */
export function allRoutes({ telemetry, ...history }: RouteParts): readonly Route[] {
  let document: unknown
  const routes: Route[] = [
    contextOffloadRoute(history),
    grepRoute,
    readFileRoute,
    offloadRoute,
    offloadContentRoute,
    retrieveRoute,
    searchRoute,
    listRoute,
    statRoute,
    contentRoute,
    deleteRoute,
    statsRoute,
    ...historyRoutes(history),
    ...serviceRoutes(
      telemetry,
      () => (document ??= openApiDocument(routes, INFO, { v1: failureSchema, reme: remeFailureSchema })),
    ),
  ]
  return routes
}
