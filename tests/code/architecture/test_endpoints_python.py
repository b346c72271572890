from collections.abc import Callable, Mapping

Routes = Callable[[Mapping[str, str]], list[str]]


def test_a_blueprint_is_under_the_prefix_of_its_registration(routes: Routes) -> None:
    files = {
        "shop/app.py": "from flask import Flask\nfrom shop import orders\n\napp = Flask(__name__)\n"
        "app.register_blueprint(orders.bp, url_prefix='/api/orders')\n",
        "shop/orders.py": "from flask import Blueprint\n\nbp = Blueprint('orders', __name__, url_prefix='/old')\n\n"
        "@bp.route('/<int:id>', methods=['GET', 'DELETE'])\ndef order(id):\n    return id\n\n"
        "@bp.post('/')\ndef create():\n    return 1\n",
    }
    assert routes(files) == [
        "DELETE /api/orders/<int:id> order shop/orders.py:5",
        "GET /api/orders/<int:id> order shop/orders.py:5",
        "POST /api/orders/ create shop/orders.py:9",
    ]


def test_routers_of_fastapi_are_followed_through_files_and_constants(routes: Routes) -> None:
    files = {
        "app/main.py": "from fastapi import FastAPI\nfrom app.api.main import api_router\n"
        "from app.config import settings\n\napp = FastAPI()\n"
        "app.include_router(api_router, prefix=settings.API_V1_STR)\n",
        "app/config.py": 'class Settings:\n    API_V1_STR: str = "/api/v1"\n',
        "app/api/main.py": "from fastapi import APIRouter\nfrom app.api import users\n\napi_router = APIRouter()\n"
        "api_router.include_router(users.router)\n",
        "app/api/users.py": "from fastapi import APIRouter\n\nrouter = APIRouter(prefix='/users')\n\n"
        '@router.get(\n    "/{user_id}",\n    response_model=dict,\n)\nasync def read_user(user_id: int):\n    return {}\n',
    }
    assert routes(files) == ["GET /api/v1/users/{user_id} read_user app/api/users.py:5"]


def test_a_decorator_that_only_looks_like_a_route_is_none(routes: Routes) -> None:
    files = {
        "app/a.py": "from flask import Flask\nfrom unittest import mock\n\n@mock.patch('os.path')\ndef f(): ...\n\n"
        '# @app.route(\'/commented\')\nTEXT = """\n@app.route(\'/quoted\')\n"""\n'
    }
    assert routes(files) == []


def test_django_includes_views_and_viewsets_become_endpoints(routes: Routes) -> None:
    files = {
        "site/urls.py": "from django.urls import include, path, re_path\nfrom . import views\n\nurlpatterns = [\n"
        "    path('', views.home),\n    path('api/', include('blog.urls')),\n"
        "    re_path(r'^old/(?P<year>[0-9]{4})/$', views.Old.as_view()),\n]\n",
        "site/views.py": "from django.views import View\n\ndef home(request): ...\n\nclass Old(View):\n"
        "    def get(self, request, year): ...\n",
        "blog/urls.py": "from django.urls import include, path\nfrom rest_framework.routers import DefaultRouter\n"
        "from .views import PostViewSet\n\nrouter = DefaultRouter()\nrouter.register('posts', PostViewSet)\n\n"
        "urlpatterns = [path('', include(router.urls))]\n",
        "blog/views.py": "from rest_framework import viewsets\nfrom rest_framework.decorators import action\n\n"
        "class PostViewSet(viewsets.ReadOnlyModelViewSet):\n    lookup_field = 'slug'\n\n"
        "    @action(detail=True, methods=['post'])\n    def publish(self, request, slug=None): ...\n",
    }
    assert routes(files) == [
        "GET /api/posts/ PostViewSet.list blog/urls.py:6",
        "GET /api/posts/<slug>/ PostViewSet.retrieve blog/urls.py:6",
        "POST /api/posts/<slug>/publish/ PostViewSet.publish blog/urls.py:6",
        "ANY / views.home site/urls.py:5",
        "GET /old/<year>/ views.Old site/urls.py:7",
    ]


def test_tables_of_starlette_aiohttp_and_tornado_are_read(routes: Routes) -> None:
    files = {
        "a/star.py": "from starlette.routing import Mount, Route\n\nroutes = [\n    Mount('/users', routes=[\n"
        "        Route('/{name}', user, methods=['PUT']),\n    ]),\n]\n",
        "b/aio.py": "from aiohttp import web\n\ndef setup(app):\n    app.router.add_get('/ping', ping)\n"
        "    app.add_routes([web.post('/jobs', jobs.create)])\n",
        "c/tor.py": "import tornado.web\n\nclass Main(tornado.web.RequestHandler):\n    def get(self): ...\n\n"
        "app = tornado.web.Application([(r'/main', Main)])\n",
    }
    assert routes(files) == [
        "PUT /users/{name} user a/star.py:5",
        "GET /ping ping b/aio.py:4",
        "POST /jobs jobs.create b/aio.py:5",
        "GET /main Main c/tor.py:6",
    ]


def test_routers_that_include_each_other_do_not_hang(routes: Routes) -> None:
    files = {
        "a.py": "from fastapi import APIRouter\nimport b\n\nrouter = APIRouter()\nrouter.include_router(b.router, prefix='/b')\n"
        "@router.get('/x')\ndef x(): ...\n",
        "b.py": "from fastapi import APIRouter\nimport a\n\nrouter = APIRouter()\nrouter.include_router(a.router, prefix='/a')\n",
    }
    assert len(routes(files)) == 1
