from collections.abc import Callable, Mapping

import pytest

from waypost.code.architecture import Architecture

Routes = Callable[[Mapping[str, str]], list[str]]
Describe = Callable[[Mapping[str, str]], Architecture]


def test_laravel_groups_resources_and_files_are_combined(routes: Routes) -> None:
    files = {
        "routes/api.php": "<?php\nuse App\\Http\\Controllers\\PostController;\n\n"
        "Route::middleware('auth:sanctum')->prefix('admin')->group(function () {\n"
        "    Route::get('stats', [StatsController::class, 'index']);\n"
        "    Route::group(['prefix' => 'users'], function () {\n        Route::delete('{id}', 'UserController@destroy');\n    });\n"
        "});\nRoute::apiResource('posts.comments', CommentController::class)->only(['index', 'show']);\n"
        "Route::controller(OrderController::class)->group(function () {\n    Route::post('/orders', 'store');\n});\n",
        "routes/web.php": "<?php\nRoute::get('/', HomeController::class);\nRoute::get('/about', function () { return view('a'); });\n",
    }
    assert routes(files) == [
        "GET /api/admin/stats StatsController.index routes/api.php:5",
        "DELETE /api/admin/users/{id} UserController.destroy routes/api.php:7",
        "GET /api/posts/{post}/comments CommentController.index routes/api.php:10",
        "GET /api/posts/{post}/comments/{comment} CommentController.show routes/api.php:10",
        "POST /api/orders OrderController.store routes/api.php:12",
        "GET / HomeController.__invoke routes/web.php:2",
        "GET /about  routes/web.php:3",
    ]


def test_symfony_attributes_stand_under_the_class_and_the_configured_prefix(routes: Routes) -> None:
    files = {
        "config/routes.yaml": "controllers:\n    resource: routing.controllers\n    prefix: /{_locale}\n",
        "src/Controller/BlogController.php": "<?php\n#[Route('/blog')]\nclass BlogController extends AbstractController\n{\n"
        "    #[Route('/{slug}', name: 'show', methods: ['GET'])]\n    #[IsGranted('READ')]\n"
        "    public function show(string $slug): Response { return new Response(); }\n}\n",
    }
    assert routes(files) == ["GET /{_locale}/blog/{slug} BlogController.show src/Controller/BlogController.php:5"]


def test_codeigniter_and_wordpress_routes_are_read(routes: Routes) -> None:
    files = {
        "app/Config/Routes.php": "<?php\n$routes->group('admin', function ($routes) {\n    $routes->get('users', 'Admin\\Users::index');\n});\n",
        "plugin.php": "<?php\nregister_rest_route( 'shop/v1', '/items', array(\n  'methods' => 'POST',\n"
        "  'callback' => 'shop_create_item',\n) );\n",
    }
    assert routes(files) == [
        "GET /admin/users Users.index app/Config/Routes.php:3",
        "POST /wp-json/shop/v1/items shop_create_item plugin.php:2",
    ]


def test_rails_resources_nest_and_know_their_controllers(routes: Routes) -> None:
    files = {
        "config/routes.rb": "Rails.application.routes.draw do\n  root to: 'home#index'\n  namespace :api do\n"
        "    resources :posts, only: %i[index show], param: :slug do\n      member do\n        post :like\n      end\n"
        "      get :feed, on: :collection\n      resources :comments, except: [:new, :edit, :update, :show, :index]\n    end\n"
        "    with_options only: [:show] do\n      resource :profile\n    end\n  end\n"
        "  scope path: '/u', module: 'users' do\n    get 'me' => 'account#me' if true\n  end\n"
        "  match '/search', to: 'search#run', via: [:get, :post]\nend\n"
    }
    assert [line.rpartition(" ")[0] for line in routes(files)] == [
        "GET / home#index",
        "GET /api/posts api/posts#index",
        "GET /api/posts/:slug api/posts#show",
        "POST /api/posts/:slug/like api/posts#like",
        "GET /api/posts/feed api/posts#feed",
        "POST /api/posts/:post_slug/comments api/comments#create",
        "DELETE /api/posts/:post_slug/comments/:id api/comments#destroy",
        "GET /api/profile api/profiles#show",
        "GET /u/me users/account#me",
        "GET /search search#run",
        "POST /search search#run",
    ]


def test_a_concern_of_rails_counts_where_it_is_used(routes: Routes) -> None:
    files = {
        "config/routes.rb": "Rails.application.routes.draw do\n  concern :batch do\n    collection { post :batch }\n"
        "  end\n  concern :likeable do\n    member do\n      post :like\n    end\n  end\n"
        "  resources :links, only: [], concerns: :batch\n  with_options only: [:index], concerns: [:likeable] do\n    resources :tags\n"
        "  end\n  resources :posts, only: [] do\n    concerns :likeable\n  end\nend\n"
    }
    assert [line.rpartition(" ")[0] for line in routes(files)] == [
        "POST /links/batch links#batch",
        "POST /posts/:id/like posts#like",
        "POST /tags/:id/like tags#like",
        "GET /tags tags#index",
    ]


def test_sinatra_routes_are_read(routes: Routes) -> None:
    assert routes({"app.rb": "require 'sinatra'\n\nget '/hello/:name' do\n  get 'x'\nend\n"}) == [
        "GET /hello/:name  app.rb:3"
    ]


@pytest.mark.parametrize(
    ("path", "text", "expected"),
    [
        (
            "src/main/java/a/OwnerController.java",
            '@RestController\n@RequestMapping("/owners")\npublic class OwnerController {\n  @GetMapping({"/{id}", "/by/{id}"})\n'
            '  public ResponseEntity<Owner> show(@PathVariable("id") int id) { return null; }\n'
            '  @RequestMapping(value = "/x", method = RequestMethod.PUT)\n  void put() {}\n}\n',
            [
                "GET /owners/by/{id} OwnerController.show",
                "GET /owners/{id} OwnerController.show",
                "PUT /owners/x OwnerController.put",
            ],
        ),
        (
            "src/main/java/a/FruitResource.java",
            'import jakarta.ws.rs.GET;\n@Path("/fruits")\npublic class FruitResource {\n  @GET\n  @Path("{id}")\n  public Fruit one() { return null; }\n}\n',
            ["GET /fruits/{id} FruitResource.one"],
        ),
        (
            "Api/UsersController.cs",
            '[ApiController]\n[Route("api/[controller]")]\npublic class UsersController : ControllerBase\n{\n    [HttpGet("{id}"), Authorize]\n'
            "    public async Task<ActionResult<User>> Get(int id) { return null; }\n\n"
            '    [HttpPost("~/login")]\n    public IActionResult Login() => Ok();\n}\n',
            ["GET /api/Users/{id} UsersController.Get", "POST /login UsersController.Login"],
        ),
        (
            "AccountController.cs",
            "public class AccountController : Controller\n{\n    [HttpPost]\n    public IActionResult Login() => Ok();\n}\n",
            ["POST /Account/Login AccountController.Login"],
        ),
        (
            "Program.cs",
            'var app = builder.Build();\nvar items = app.MapGroup("/items");\nitems.MapGet("/{id}", Handlers.GetItem);\n',
            ["GET /items/{id} Handlers.GetItem"],
        ),
        (
            "lib/web/router.ex",
            'defmodule Web.Router do\n  scope "/api", Web do\n    get "/me", UserController, :me\n'
            '    resources "/posts", PostController, only: [:index]\n  end\nend\n',
            ["GET /api/me UserController.me", "GET /api/posts PostController.index"],
        ),
        (
            "api/shop.proto",
            'syntax = "proto3";\npackage shop.v1;\nservice Cart {\n  rpc AddItem (Item) returns (Empty);\n}\n',
            ["RPC /shop.v1.Cart/AddItem Cart.AddItem"],
        ),
    ],
)
def test_declared_endpoints_are_read(routes: Routes, path: str, text: str, expected: list[str]) -> None:
    assert [line.rpartition(" ")[0] for line in routes({path: text})] == expected


def test_go_routers_are_followed_into_the_functions_that_get_them(routes: Routes) -> None:
    files = {
        "main.go": 'package main\n\nimport "github.com/gin-gonic/gin"\n\nfunc main() {\n\tr := gin.Default()\n\tv1 := r.Group("/api")\n'
        '\tusers.Register(v1.Group("/users"))\n\tv1.GET("/ping", ping)\n}\n',
        "users/routes.go": 'package users\n\nimport "github.com/gin-gonic/gin"\n\nfunc Register(router *gin.RouterGroup) {\n'
        '\trouter.POST("/login", Login)\n}\n',
        "users/routes_test.go": 'package users\n\nimport "github.com/gin-gonic/gin"\n\nfunc TestX(t *testing.T) {\n\tr := gin.New()\n'
        '\tRegister(r.Group("/wrong"))\n}\n',
    }
    assert routes(files) == ["GET /api/ping ping main.go:9", "POST /api/users/login Login users/routes.go:6"]


def test_chi_and_the_standard_library_of_go_are_read(routes: Routes) -> None:
    files = {
        "chi.go": 'package a\n\nimport "github.com/go-chi/chi/v5"\n\nfunc main() {\n\tr := chi.NewRouter()\n'
        '\tr.Route("/articles", func(r chi.Router) {\n\t\tr.Get("/{id}", getArticle)\n\t})\n}\n',
        "std.go": 'package b\n\nimport "net/http"\n\nfunc main() {\n\tmux := http.NewServeMux()\n\tmux.HandleFunc("GET /items/{id}", item)\n}\n',
    }
    assert routes(files) == ["GET /articles/{id} getArticle chi.go:8", "GET /items/{id} item std.go:7"]


def test_rust_routers_are_nested_by_their_functions(routes: Routes) -> None:
    files = {
        "src/main.rs": 'use axum::Router;\nmod users;\nfn main() {\n    let app = Router::new().nest("/api", users::router());\n}\n',
        "src/users.rs": "use axum::{routing::get, Router};\npub fn router() -> Router {\n    Router::new()\n"
        '        .route("/users/:id", get(show).delete(remove))\n}\n',
        "act/src/lib.rs": "use actix_web::web;\npub fn config(cfg: &mut web::ServiceConfig) {\n"
        '    cfg.service(web::scope("/v1").service(web::resource("/x").route(web::post().to(create))));\n}\n',
        "roc/src/lib.rs": 'use rocket::routes;\n#[get("/tags?<page>")]\nfn tags() {}\n'
        'fn rocket() { rocket::build().mount("/api", routes![tags]); }\n',
    }
    assert routes(files) == [
        "POST /v1/x create act/src/lib.rs:3",
        "GET /api/tags tags roc/src/lib.rs:2",
        "DELETE /api/users/:id remove src/users.rs:4",
        "GET /api/users/:id show src/users.rs:4",
    ]


def test_the_place_of_a_handler_is_found(describe: Describe) -> None:
    files = {
        "config/routes.rb": "Rails.application.routes.draw do\n  post '/login' => 'sessions#create'\nend\n",
        "app/controllers/sessions_controller.rb": "class SessionsController < ApplicationController\n\n  def create\n  end\nend\n",
    }
    (endpoint,) = describe(files).endpoints
    assert str(endpoint.handler_place) == "app/controllers/sessions_controller.rb:3"


def test_routes_of_tests_and_examples_are_left_out_when_there_are_others(routes: Routes) -> None:
    route = "from flask import Flask\napp = Flask(__name__)\n@app.get('/x')\ndef x(): ...\n"
    assert routes({"tests/test_app.py": route}) == []
    assert len(routes({"examples/app.py": route})) == 1
    assert routes({"examples/app.py": route, "src/app.py": route}) == ["GET /x x src/app.py:3"]
