from collections.abc import Callable, Mapping

Routes = Callable[[Mapping[str, str]], list[str]]


def test_express_routers_are_mounted_across_files(routes: Routes) -> None:
    files = {
        "src/app.ts": "import express from 'express'\nimport users from './users'\n\nconst app = express()\n"
        "const api = Router().use('/users', users)\napp.use('/api', cors(), api)\napp.use('/v2', users)\n"
        "app.get('/health', health)\n",
        "src/users.ts": "import { Router } from 'express'\n\nconst router = Router()\n"
        "router.route('/:id').get(show).delete(auth.required, ctrl.remove)\nexport default router\n",
    }
    assert routes(files) == [
        "GET /health health src/app.ts:8",
        "DELETE /api/users/:id ctrl.remove src/users.ts:4",
        "GET /api/users/:id show src/users.ts:4",
        "DELETE /v2/:id ctrl.remove src/users.ts:4",
        "GET /v2/:id show src/users.ts:4",
    ]


def test_calls_of_a_client_are_no_endpoints(routes: Routes) -> None:
    files = {
        "package.json": '{"name": "x", "dependencies": {"express": "4"}}',
        "src/client.js": "axios.get('/users', { a: 1 })\nhttp.post('/login', body)\nrequest(app).get('/x', y)\n",
    }
    assert routes(files) == []


def test_the_framework_of_a_bare_app_is_told_by_the_manifest(routes: Routes) -> None:
    route = {"src/routes.js": "module.exports = function (app) {\n  app.get('/users/:id', users.show)\n}\n"}
    assert routes(route) == []
    manifest = {"package.json": '{"name": "x", "dependencies": {"express": "^4.1"}}'}
    assert routes(manifest | route) == ["GET /users/:id users.show src/routes.js:2"]


def test_koa_fastify_and_hono_routes_have_their_prefixes(routes: Routes) -> None:
    files = {
        "koa.js": "const Router = require('koa-router')\nconst router = new Router({ prefix: '/books' })\nrouter.put('/:id', ctrl.put)\n",
        "fastify.js": "const fastify = require('fastify')()\nfastify.register(items, { prefix: '/items' })\n"
        "fastify.route({ method: ['GET', 'HEAD'], url: '/status', handler: status })\n",
        "hono.ts": "import { Hono } from 'hono'\nconst app = new Hono()\nconst book = new Hono()\n"
        "book.get('/:id', (c) => c.text('x'))\napp.route('/book', book)\n",
    }
    assert routes(files) == [
        "GET /status status fastify.js:3",
        "HEAD /status status fastify.js:3",
        "GET /book/:id  hono.ts:4",
        "PUT /books/:id ctrl.put koa.js:3",
    ]


def test_nest_controllers_stand_under_the_global_prefix(routes: Routes) -> None:
    files = {
        "src/main.ts": "const app = await NestFactory.create(AppModule)\napp.setGlobalPrefix('api')\n",
        "src/cats.controller.ts": "import { Controller, Get, Post } from '@nestjs/common'\n\n@Controller('cats')\n"
        "export class CatsController {\n  @Get(':id')\n  @UseGuards(AuthGuard)\n  findOne(@Param('id') id: string) {}\n\n"
        "  @Post()\n  async create() {}\n}\n",
    }
    assert routes(files) == [
        "GET /api/cats/:id CatsController.findOne src/cats.controller.ts:5",
        "POST /api/cats CatsController.create src/cats.controller.ts:9",
    ]


def test_files_are_routes_only_where_the_framework_is_used(routes: Routes) -> None:
    pages = {
        "pages/users/[id].tsx": "export default function User() { return <p/> }\n",
        "pages/api/login.ts": "export default function handler(req, res) {\n  if (req.method === 'POST') {}\n}\n",
        "app/(shop)/cart/route.ts": "export async function POST(request: Request) {}\n",
    }
    assert routes(pages) == []
    assert routes(pages | {"package.json": '{"name": "x", "dependencies": {"next": "15"}}'}) == [
        "POST /cart POST app/(shop)/cart/route.ts:1",
        "POST /api/login handler pages/api/login.ts:1",
        "PAGE /users/[id] User pages/users/[id].tsx:1",
    ]


def test_svelte_remix_and_nuxt_files_are_routes(routes: Routes) -> None:
    files = {
        "a/package.json": '{"name": "a", "devDependencies": {"@sveltejs/kit": "2"}}',
        "a/src/routes/blog/[slug]/+server.ts": "export const GET = () => {}\n",
        "b/package.json": '{"name": "b", "dependencies": {"@remix-run/react": "2"}}',
        "b/app/routes/notes.$id.tsx": "export const action = async () => {}\nexport default function Note() {}\n",
        "c/package.json": '{"name": "c", "dependencies": {"nuxt": "3"}}',
        "c/server/api/items.post.ts": "export default defineEventHandler(() => 1)\n",
    }
    assert routes(files) == [
        "GET /blog/[slug] GET a/src/routes/blog/[slug]/+server.ts:1",
        "PAGE /notes/:id Note b/app/routes/notes.$id.tsx:1",
        "POST /notes/:id action b/app/routes/notes.$id.tsx:1",
        "POST /api/items  c/server/api/items.post.ts:1",
    ]


def test_pages_of_client_routers_are_told_with_their_parents(routes: Routes) -> None:
    files = {
        "src/router.js": "import Router from 'vue-router'\nexport default new Router({ routes: [\n"
        "  { path: '/users', component: Users, children: [\n    { path: ':id', component: User },\n  ] },\n]})\n",
        "src/app.routes.ts": "import { Routes } from '@angular/router'\nexport const routes: Routes = [\n"
        "  { path: 'admin', loadChildren: () => import('./admin.routes') },\n]\n",
        "src/admin.routes.ts": "import { Routes } from '@angular/router'\nexport default [{ path: 'log', component: Log }]\n",
        "src/App.jsx": "import { Route } from 'react-router'\nconst x = <Route path=\"/home\" component={Home}/>\n",
    }
    assert routes(files) == [
        "PAGE /home Home src/App.jsx:2",
        "PAGE /admin/log Log src/admin.routes.ts:2",
        "PAGE /users Users src/router.js:3",
        "PAGE /users/:id User src/router.js:4",
    ]
