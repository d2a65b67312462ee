# Copyright: the syncmeter authors. SPDX-License-Identifier: BSD-3-Clause
"""The least that ReFrame needs to run the checks on this machine; a site has settings of its own."""

site_configuration = {
    "systems": [
        {
            "name": "here",
            "descr": "any machine",
            "hostnames": [".*"],
            "partitions": [
                {"name": "default", "scheduler": "local", "launcher": "local", "environs": ["cc"], "max_jobs": 1},
            ],
        },
    ],
    "environments": [{"name": "cc", "cc": "cc", "cxx": "c++", "ftn": ""}],
    "general": [{"remote_detect": False}],
}
