import * as voltagent from '@voltagent/core'

/** Whether the installed VoltAgent is an early version, with routers of tools and without the hook `onToolError`. */
export const isEarly: boolean = 'createToolRouter' in voltagent
