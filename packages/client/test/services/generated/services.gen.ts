// Written by `berth types`. Do not edit: change the OpenAPI documents and run it again.
// biome-ignore-all lint: generated
/* eslint-disable */

/** The paths of each hosted service, for `createGatewayClient<Services>(…)`. */
export interface Services {
    "orders": ordersService.paths;
}

/** orders.openapi.yaml */
export declare namespace ordersService {
    export interface paths {
        "/items": {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            get: {
                parameters: {
                    query?: {
                        limit?: number;
                    };
                    header?: never;
                    path?: never;
                    cookie?: never;
                };
                requestBody?: never;
                responses: {
                    /** @description ok */
                    200: {
                        headers: {
                            [name: string]: unknown;
                        };
                        content: {
                            "application/json": components["schemas"]["Item"][];
                        };
                    };
                };
            };
            put?: never;
            post: {
                parameters: {
                    query?: never;
                    header?: never;
                    path?: never;
                    cookie?: never;
                };
                requestBody: {
                    content: {
                        "application/json": components["schemas"]["Item"];
                    };
                };
                responses: {
                    /** @description ok */
                    201: {
                        headers: {
                            [name: string]: unknown;
                        };
                        content: {
                            "application/json": components["schemas"]["Item"];
                        };
                    };
                    /** @description bad */
                    422: {
                        headers: {
                            [name: string]: unknown;
                        };
                        content: {
                            "application/json": {
                                problems: string[];
                            };
                        };
                    };
                };
            };
            delete?: never;
            options?: never;
            head?: never;
            patch?: never;
            trace?: never;
        };
        "/items/{id}": {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: number;
                };
                cookie?: never;
            };
            get: {
                parameters: {
                    query?: never;
                    header?: never;
                    path: {
                        id: number;
                    };
                    cookie?: never;
                };
                requestBody?: never;
                responses: {
                    /** @description ok */
                    200: {
                        headers: {
                            [name: string]: unknown;
                        };
                        content: {
                            "application/json": components["schemas"]["Item"];
                        };
                    };
                };
            };
            put?: never;
            post?: never;
            delete: {
                parameters: {
                    query?: never;
                    header?: never;
                    path: {
                        id: number;
                    };
                    cookie?: never;
                };
                requestBody?: never;
                responses: {
                    /** @description gone */
                    204: {
                        headers: {
                            [name: string]: unknown;
                        };
                        content?: never;
                    };
                };
            };
            options?: never;
            head?: never;
            patch?: never;
            trace?: never;
        };
        "/items/{id}/prices": {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: number;
                };
                cookie?: never;
            };
            get: {
                parameters: {
                    query?: never;
                    header?: never;
                    path: {
                        id: number;
                    };
                    cookie?: never;
                };
                requestBody?: never;
                responses: {
                    /** @description ok */
                    200: {
                        headers: {
                            [name: string]: unknown;
                        };
                        content: {
                            "text/event-stream": components["schemas"]["Price"];
                        };
                    };
                };
            };
            put?: never;
            post?: never;
            delete?: never;
            options?: never;
            head?: never;
            patch?: never;
            trace?: never;
        };
        "/log": {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            get: {
                parameters: {
                    query?: never;
                    header?: never;
                    path?: never;
                    cookie?: never;
                };
                requestBody?: never;
                responses: {
                    /** @description ok */
                    200: {
                        headers: {
                            [name: string]: unknown;
                        };
                        content: {
                            "text/event-stream": string;
                        };
                    };
                };
            };
            put?: never;
            post?: never;
            delete?: never;
            options?: never;
            head?: never;
            patch?: never;
            trace?: never;
        };
    }
    export type webhooks = Record<string, never>;
    export interface components {
        schemas: {
            Item: {
                id: number;
                name: string;
            };
            Price: {
                price: number;
            };
        };
        responses: never;
        parameters: never;
        requestBodies: never;
        headers: never;
        pathItems: never;
    }
    export type $defs = Record<string, never>;
    export type operations = Record<string, never>;
}
