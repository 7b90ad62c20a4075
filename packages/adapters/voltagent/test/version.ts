import * as voltagent from '@voltagent/core'

/** Whether the installed VoltAgent is an early one, which has routers of tools and no hook `onToolError`. */
export const isEarly: boolean = 'createToolRouter' in voltagent
