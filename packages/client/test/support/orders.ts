interface Item {
  id: number;
  name: string;
}
interface Json<Body> {
  content: { 'application/json': Body };
}

/** What `openapi-typescript` writes for the document of a service. */
interface Paths {
  '/items': {
    get: { parameters: { query?: { limit?: number } }; responses: { 200: Json<Item[]> } };
    post: {
      requestBody: Json<Item>;
      responses: { 201: Json<Item>; 422: Json<{ problems: string[] }> };
    };
  };
  '/items/{id}': {
    get: { parameters: { path: { id: number } }; responses: { 200: Json<Item> } };
    delete: { parameters: { path: { id: number } }; responses: { 204: object } };
  };
}

/** A hosted service with an OpenAPI document. */
export interface Services {
  orders: Paths;
}
